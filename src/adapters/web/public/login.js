// @ts-check
// A browser keeps what stands behind the hash to itself, and over a redirect: so whoever was sent here from the view of
// alerts comes back to it, if only the form is sent to an address with the same.

const form = document.querySelector("form");
if (form !== null) form.action = `/login${location.hash}`;
