/** Lets the first page finish its own requests. */
const DELAY_MS = 3_000;

/**
 * Fetches the files of all pages into the browser's cache, so that each page opens without a network.
 *
 * @returns a function that stops it
 */
export function fetchOtherPages(): () => void {
  const files = document.querySelector<HTMLMetaElement>('meta[name=files]')?.content.split(' ') ?? [];
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  const stop = new AbortController();
  const fetchAll = async () => {
    // One at a time: browsers open six connections per server.
    for (const file of files) {
      const response = await fetch(file, { priority: 'low', signal: stop.signal });
      await response.arrayBuffer();
    }
  };
  // Offline or stopped: pages still load when they are opened.
  const timer = setTimeout(() => fetchAll().catch(() => undefined), DELAY_MS);
  if (connection?.saveData) clearTimeout(timer);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}
