import { isUtf8 } from 'node:buffer';

/** Enough bytes to detect the encoding of the rest. */
const SAMPLE_BYTES = 65_536;
/** Accepted share of broken sequences among the non-ASCII ones of a UTF-8 text. */
const MAX_BROKEN_SHARE = 0.05;
/** Largest share of non-ASCII letters in a language with a Latin alphabet. */
const MAX_NON_ASCII_SHARE = 0.35;

interface Candidate {
  encoding: string;
  common: string;
  typicalShare: number;
  latin?: true;
}

/** On a tie, the first wins. */
const CANDIDATES: readonly Candidate[] = [
  {
    encoding: 'windows-1252',
    typicalShare: 0.98,
    latin: true,
    common: 'éèàçüöäßñóíáêâîôœæåøëïúãõùûÉÈÀÇÜÖÄÑ’‘“”–—…°«»§€£©®·¡¿ ',
  },
  {
    encoding: 'windows-1250',
    typicalShare: 0.98,
    latin: true,
    common: 'ąćęłńóśźżáčďéěíňřšťúůýžőűăâîșțşţäöüßĄĆĘŁŚŻČŘŠŽ„”–',
  },
  { encoding: 'windows-1254', typicalShare: 0.95, latin: true, common: 'ığşçöüİĞŞÇÖÜâî’' },
  {
    encoding: 'shift_jis',
    typicalShare: 0.5,
    common: 'のはをにがでとたしてれさるいなかもらりっくこす。、日本人大一年',
  },
  { encoding: 'euc-jp', typicalShare: 0.5, common: 'のはをにがでとたしてれさるいなかもらりっくこす。、日本人大一年' },
  { encoding: 'euc-kr', typicalShare: 0.3, common: '이다의가는에을하고를은한로지도기사서리그어' },
  { encoding: 'gb18030', typicalShare: 0.2, common: '的一是不了人我在有他这中大来上国个到说们为。，' },
  { encoding: 'big5', typicalShare: 0.2, common: '的一是不了人我在有他這中大來上國個到說們為。，' },
  { encoding: 'windows-1251', typicalShare: 0.85, common: 'оеаинтсрвлкмдпуяыьгзбчй' },
  { encoding: 'koi8-r', typicalShare: 0.85, common: 'оеаинтсрвлкмдпуяыьгзбчй' },
  { encoding: 'windows-1253', typicalShare: 0.9, common: 'αοιετσνηυρπκμλςάίόέή' },
  { encoding: 'windows-1255', typicalShare: 0.95, common: 'יוהלארתשמבנםדקכעחפט' },
  { encoding: 'windows-1256', typicalShare: 0.9, common: 'الينمرتوبعدسهفكحقجةطشصأ' },
  { encoding: 'windows-874', typicalShare: 0.95, common: 'านรอกเงมยลวดทสตะปบคหแจพชไใ่้ัี็ิ' },
];

/**
 * Detects the encoding of a text, with TextDecoder's name for it.
 *
 * Checks the byte order mark, valid UTF-8, the declared encoding, then letter frequencies.
 * @param declared the declared encoding
 * @returns null if it is not text
 */
export function findEncoding(bytes: Uint8Array, declared: string | null = null): string | null {
  const [one, two] = bytes;
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  if (one === 0xfe && two === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const wide = wideOf(sample);
  if (wide !== null) return wide;
  if (isBinary(sample)) return null;
  if (isUtf8(bytes)) return sample.includes(0x1b) && declared?.toLowerCase() === 'iso-2022-jp' ? declared : 'utf-8';
  if (declared !== null && fits(sample, declared)) return declared;
  return isBrokenUtf8(sample) ? 'utf-8' : likeliest(sample);
}

/** Detects UTF-16 without a mark: every other byte of ASCII text is zero. */
function wideOf(sample: Uint8Array): string | null {
  const zeros = [0, 0];
  for (let at = 0; at < sample.length; at += 1) if (sample[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const many = sample.length * 0.2;
  if (odd > many && even < odd / 20) return 'utf-16le';
  return even > many && odd < even / 20 ? 'utf-16be' : null;
}

/** Returns whether there are more control characters than chance explains. */
function isBinary(sample: Uint8Array): boolean {
  let strange = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    if (byte < 9 || (byte > 13 && byte < 27)) strange += 1;
  }
  return strange > sample.length / 200;
}

function fits(sample: Uint8Array, encoding: string): boolean {
  const text = decoded(sample, encoding);
  return text !== null && (text.match(/\uFFFD/g)?.length ?? 0) * 200 <= text.length;
}

function decoded(sample: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding).decode(sample, { stream: true });
  } catch {
    return null; // unknown encoding
  }
}

function isBrokenUtf8(sample: Uint8Array): boolean {
  const text = decoded(sample, 'utf-8') ?? '';
  const broken = text.match(/\uFFFD/g)?.length ?? 0;
  const whole = text.match(/[^\0-\x7f\uFFFD]/g)?.length ?? 0;
  return broken <= whole * MAX_BROKEN_SHARE;
}

function likeliest(sample: Uint8Array): string {
  let best = { encoding: 'windows-1252', score: 0 };
  for (const { encoding, common, typicalShare, latin = false } of CANDIDATES) {
    const text = decoded(sample, encoding) ?? '';
    const beyond = text.match(/[^\0-\x7f]/gu) ?? [];
    const letters = text.match(/\p{L}/gu)?.length ?? 0;
    if (text.includes('\uFFFD') || (latin && beyond.length > letters * MAX_NON_ASCII_SHARE)) continue;
    const known = new Set(common);
    const share = beyond.filter((letter) => known.has(letter)).length / beyond.length;
    const score = Math.min(share / typicalShare, 1);
    if (score > best.score) best = { encoding, score };
  }
  return best.encoding;
}
