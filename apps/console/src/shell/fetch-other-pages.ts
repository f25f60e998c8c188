import { loadNotifications } from '../data/notify.ts';
import { currentLanguage } from '../i18n/i18n.ts';

/** Lets the first page finish its own requests. */
const DELAY_MS = 3_000;

/** localStorage key of the version whose files were fetched. This file's name changes if any file does. */
const FETCHED = 'chorus.fetched';
const versionOf = (language: string) =>
  [import.meta.url, document.querySelector<HTMLMetaElement>('meta[name=messages]')?.content, language].join(' ');

/** Notifications also report that the network is down, so they load first. */
const NOTIFICATIONS_DELAY_MS = 1_000;

/**
 * Fetches the files of all pages into the browser's cache, once for each version, so that each page opens without a
 * network.
 *
 * @returns a function that stops it
 */
export function fetchOtherPages(): () => void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  const stop = new AbortController();
  const fetchAll = async () => {
    const language = currentLanguage();
    if (localStorage.getItem(FETCHED) === versionOf(language)) return;
    const files: string[] = await (
      await fetch('files.json', { priority: 'low', cache: 'no-cache', signal: stop.signal })
    ).json();
    const otherLanguage = new RegExp(`/messages-(?!${language}-)`);
    // One at a time: browsers open six connections per server.
    for (const file of files.filter((name) => !otherLanguage.test(name))) {
      const response = await fetch(file, { priority: 'low', signal: stop.signal });
      await response.arrayBuffer();
    }
    localStorage.setItem(FETCHED, versionOf(language));
  };
  // Offline or stopped: pages still load when they are opened.
  const timer = setTimeout(() => fetchAll().catch(() => undefined), DELAY_MS);
  const notifications = setTimeout(() => loadNotifications().catch(() => undefined), NOTIFICATIONS_DELAY_MS);
  if (connection?.saveData) clearTimeout(timer);
  return () => {
    clearTimeout(timer);
    clearTimeout(notifications);
    stop.abort();
  };
}
