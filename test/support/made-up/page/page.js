// A message of a platform that does not exist, on the console's page.

/** @param {unknown} payload */
export const draw = (payload) => ({ tag: "p", attrs: {}, children: [JSON.stringify(payload)] });
