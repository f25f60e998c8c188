/** Where the voice socket is; the others are what clients of OpenAI's insist on. */
const PATHS: readonly string[] = ['/api/v1/voice/ws', '/api/v1/realtime', '/api/v1/voice/realtime'];

/** Whether an address leads to the voice socket. socket.io's clients put a slash behind it. */
export function isRealtimePath(url: string): boolean {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return PATHS.includes(path.endsWith('/') ? path.slice(0, -1) : path);
}
