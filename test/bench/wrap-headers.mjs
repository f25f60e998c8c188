// Portkey's gateway changes the headers of the provider's response, which current versions of Node refuse.
const original = globalThis.fetch;
globalThis.fetch = async (...request) => {
  const { body, status, statusText, headers } = await original(...request);
  return new Response(body, { status, statusText, headers: new Headers(headers) });
};
