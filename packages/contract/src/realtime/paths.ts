/** Paths of the voice socket. OpenAI's clients insist on the others. */
const PATHS: readonly string[] = [
  '/api/v1/voice/ws',
  '/openai/v1/realtime',
  '/api/v1/realtime',
  '/api/v1/voice/realtime',
];

/** Returns whether a URL leads to the voice socket. socket.io's clients add a trailing slash. */
export function isRealtimePath(url: string): boolean {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return PATHS.includes(path.endsWith('/') ? path.slice(0, -1) : path);
}
