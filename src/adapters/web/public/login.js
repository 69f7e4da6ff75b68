// @ts-check
// A browser does not send the part of an address behind the hash, and keeps it over a redirect: so the form is sent to an
// address with the same hash, to return to the view of alerts after the login.

const form = document.querySelector("form");
if (form !== null) form.action = `/login${location.hash}`;
