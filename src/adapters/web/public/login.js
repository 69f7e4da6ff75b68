// @ts-check
// The form is sent to an address that asks for the same as this one, to return there after the login. A browser does not
// send the part behind the hash, and keeps it over a redirect.

const form = document.querySelector("form");
if (form !== null) form.action = `/login${location.search}${location.hash}`;
