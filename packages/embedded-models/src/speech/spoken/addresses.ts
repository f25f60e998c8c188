import { spelled } from './names.ts';
import { cardinal, digitsOf, type Rule } from './numbers.ts';

const ENDINGS =
  'com|org|net|edu|gov|io|dev|ai|app|info|me|co|eu|uk|de|fr|es|it|nl|ch|at|ca|us|jp|cn|in|br|ru|se|no|tv|biz|cloud|xyz|test|example|local';
const FILES =
  'json|ya?ml|toml|xml|html?|css|jsx?|tsx?|mjs|py|rb|go|rs|java|sh|sql|md|txt|csv|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|mp[34]|wav|zip|gz|log|env|lock|conf|ini|exe|dll|ics|epub';

const SIGNS: Record<string, string> = {
  '.': 'dot',
  '/': 'slash',
  '-': 'dash',
  _: 'underscore',
  '@': 'at',
  ':': 'colon',
  '+': 'plus',
  '?': 'question mark',
  '=': 'equals',
  '&': 'and',
  '#': 'hash',
  '%': 'percent',
  '~': 'tilde',
};
/** Endings of addresses and files that are read as words. */
const WORDS = new Set([
  'com',
  'org',
  'net',
  'gov',
  'info',
  'dev',
  'app',
  'cloud',
  'biz',
  'test',
  'example',
  'local',
  'me',
  'co',
  'no',
  'java',
  'go',
  'log',
  'lock',
  'env',
  'zip',
  'doc',
  'in',
  'it',
  'us',
  'at',
  'gif',
  'wav',
  'exe',
]);
const AS: Record<string, string> = {
  json: 'jason',
  yaml: 'yammel',
  yml: 'Y M L',
  docx: 'doc X',
  jpg: 'jay peg',
  jpeg: 'jay peg',
  edu: 'E D U',
  html: 'H T M L',
  toml: 'tommel',
  conf: 'conf',
  sql: 'S Q L',
  www: 'W W W',
};
const LONGEST_PATH = 60;

/** Reads an address part by part: "me at example dot com". */
function address(written: string): string {
  const pieces = written.match(/\p{L}+|\d+|[^\p{L}\d]/gu) ?? [];
  return pieces.map((piece, at) => (at > 0 && pieces[at - 1] === '.' ? ending(piece) : word(piece))).join(' ');
}

function word(piece: string): string {
  if (piece in SIGNS) return SIGNS[piece]!;
  if (/^\d+$/.test(piece)) return piece.length > 4 ? digitsOf(piece) : cardinal(piece);
  const known = AS[piece.toLowerCase()];
  return known ?? (/[aeiouy]/i.test(piece) && piece.toLowerCase() !== 'api' ? piece : spelled(piece));
}

function ending(piece: string): string {
  const lower = piece.toLowerCase();
  return piece.length > 3 || WORDS.has(lower) || lower in AS
    ? word(piece)
    : /^\d+$/.test(piece)
      ? word(piece)
      : spelled(piece);
}

/** Reads the host, and a path that is short enough to listen to. */
function url(_: string, host: string, path = ''): string {
  const plain = path.replace(/[?#].*$/, '').replace(/\/$/, '');
  return address(host) + (plain.length > LONGEST_PATH ? '' : ` ${address(plain)}`);
}

/** Groups of a telephone number, digit by digit. */
const telephone = (written: string) =>
  `${written.startsWith('+') ? 'plus ' : ''}${(written.match(/\d+/g) ?? []).map(digitsOf).join(', ')}`;

/** URLs, addresses, file names, versions and telephone numbers. The first that matches wins. */
export const ADDRESSES: Rule[] = [
  [
    /\b[a-z][a-z+]{1,9}:\/\/(?:www\.)?([\w-]{1,63}(?:\.[\w-]{1,63}){0,8}(?::\d{1,5})?)(\/[\w\-./?#=&%~+:@!,;]{0,2000}(?<![.,;:!?]))?\/?/gi,
    url,
  ],
  [/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, (found) => address(found)],
  [
    new RegExp(
      `(?<![\\w@./-])((?:[\\w-]{1,63}\\.){1,6}(?:${ENDINGS}))(?::\\d{1,5})?(\\/[\\w\\-./?#=&%~+:@!,;]{0,2000}(?<![.,;:!?]))?(?![\\w@-]|\\.\\w)`,
      'gi',
    ),
    (all, host, path) => (isHost(host!) ? url(all, host!.replace(/^www\./i, 'www.'), path) : all),
  ],
  [
    new RegExp(`(?<![\\w./])[\\w-]{1,60}(?:\\.[\\w-]{1,30}){0,3}\\.(?:${FILES})\\b`, 'g'),
    (found) => (/^\d/.test(found) ? found : address(found)),
  ],
  [
    /(?<![\w.,])(?:v|version )?(?!\d{1,2}\.\d{1,2}\.(?:1[1-9]|20)\d\d(?!\d))(?:\d{1,4}\.){2,3}\d{1,5}(?![\w,]*\d|\.\d)/gi,
    version,
  ],
  [/(?<![\w.,])v(\d{1,4}(?:\.\d{1,4})?)\b/g, (_, number) => `version ${points(number!)}`],
  [
    /(?<![\w.,:/-])(?:\+\d{1,3}[\s.-]?(?:\(?\d{1,4}\)?[\s.-]?){2,5}\d{2,4}|(?:1[\s.-])?(?:\(\d{3}\)\s?|\d{3}[\s.-])\d{3}[\s.-]\d{4}|\d{3}-\d{4})(?![\w-]|[.,]\d)/g,
    telephone,
  ],
];

/** Dotted words in prose, such as "e.g.it", are not hosts. */
const isHost = (host: string) => /^[\w-]{2,}\./.test(host) && !/^\d/.test(host);

const points = (number: string) =>
  number
    .split('.')
    .map((one) => cardinal(one))
    .join(' point ');

function version(written: string): string {
  const [named] = /^(?:version |v)/i.exec(written) ?? [];
  const numbers = written.slice(named?.length ?? 0);
  // Four numbers are an IP address.
  if (named === undefined && numbers.split('.').length === 4) return numbers.split('.').map(digitsOf).join(' dot ');
  return `${named === undefined ? '' : 'version '}${points(numbers)}`;
}
