import type { IncomingMessage } from 'node:http';
import { parse } from 'content-disposition';

const MAX_LENGTH = 200;

/** The name that a server gives what it sends, else the end of its URL's path, as a plain file name. Null: neither says one. */
export function filenameOf(answer: IncomingMessage, url: URL): string | null {
  const header = answer.headers['content-disposition'];
  const given = header === undefined ? undefined : parse(header).parameters.filename;
  return plain(given ?? '') ?? plain(decoded(url.pathname));
}

/** Without folders, control characters, and what turns text around; never `.` or `..`. */
function plain(name: string): string | null {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
  return /^\.*$/.test(clean) ? null : [...clean].slice(0, MAX_LENGTH).join('');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
