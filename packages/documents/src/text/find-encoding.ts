import { isUtf8 } from 'node:buffer';

/** So many bytes tell what the rest is in. */
const SAMPLE_BYTES = 65_536;
/** A text in UTF-8 may be broken at a few places, of those beyond ASCII. */
const FEW_BROKEN = 0.05;
/** Of its letters, what a language of Latin letters has beyond ASCII at most. */
const MOSTLY_LATIN = 0.35;

interface Candidate {
  encoding: string;
  /** The letters that are commonest in texts of its languages, beyond ASCII. */
  common: string;
  /** What share of all letters beyond ASCII these usually are. */
  usual: number;
  /** Whether most letters are those of ASCII. */
  latin?: true;
}

/** Of equals the first. */
const CANDIDATES: readonly Candidate[] = [
  {
    encoding: 'windows-1252',
    usual: 0.98,
    latin: true,
    common: 'éèàçüöäßñóíáêâîôœæåøëïúãõùûÉÈÀÇÜÖÄÑ’‘“”–—…°«»§€£©®·¡¿ ',
  },
  { encoding: 'windows-1250', usual: 0.98, latin: true, common: 'ąćęłńóśźżáčďéěíňřšťúůýžőűăâîșțşţäöüßĄĆĘŁŚŻČŘŠŽ„”–' },
  { encoding: 'windows-1254', usual: 0.95, latin: true, common: 'ığşçöüİĞŞÇÖÜâî’' },
  { encoding: 'shift_jis', usual: 0.5, common: 'のはをにがでとたしてれさるいなかもらりっくこす。、日本人大一年' },
  { encoding: 'euc-jp', usual: 0.5, common: 'のはをにがでとたしてれさるいなかもらりっくこす。、日本人大一年' },
  { encoding: 'euc-kr', usual: 0.3, common: '이다의가는에을하고를은한로지도기사서리그어' },
  { encoding: 'gb18030', usual: 0.2, common: '的一是不了人我在有他这中大来上国个到说们为。，' },
  { encoding: 'big5', usual: 0.2, common: '的一是不了人我在有他這中大來上國個到說們為。，' },
  { encoding: 'windows-1251', usual: 0.85, common: 'оеаинтсрвлкмдпуяыьгзбчй' },
  { encoding: 'koi8-r', usual: 0.85, common: 'оеаинтсрвлкмдпуяыьгзбчй' },
  { encoding: 'windows-1253', usual: 0.9, common: 'αοιετσνηυρπκμλςάίόέή' },
  { encoding: 'windows-1255', usual: 0.95, common: 'יוהלארתשמבנםדקכעחפט' },
  { encoding: 'windows-1256', usual: 0.9, common: 'الينمرتوبعدسهفكحقجةطشصأ' },
  { encoding: 'windows-874', usual: 0.95, common: 'านรอกเงมยลวดทสตะปบคหแจพชไใ่้ัี็ิ' },
];

/**
 * The encoding of a text, as TextDecoder calls it: by its mark, by being UTF-8, by what it says itself, else by which letters it would consist of.
 *
 * @param told what the text says that it is in
 * @returns null for what is no text
 */
export function findEncoding(bytes: Uint8Array, told: string | null = null): string | null {
  const [one, two] = bytes;
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  if (one === 0xfe && two === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const wide = wideOf(sample);
  if (wide !== null) return wide;
  if (isBinary(sample)) return null;
  if (isUtf8(bytes)) return sample.includes(0x1b) && told?.toLowerCase() === 'iso-2022-jp' ? told : 'utf-8';
  if (told !== null && fits(sample, told)) return told;
  return isBrokenUtf8(sample) ? 'utf-8' : likeliest(sample);
}

/** UTF-16 without its mark: every other byte of what is ASCII is zero. */
function wideOf(sample: Uint8Array): string | null {
  const zeros = [0, 0];
  for (let at = 0; at < sample.length; at += 1) if (sample[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const many = sample.length * 0.2;
  if (odd > many && even < odd / 20) return 'utf-16le';
  return even > many && odd < even / 20 ? 'utf-16be' : null;
}

/** Signs of control that no text holds, in a number beyond chance. */
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
    return null; // no such encoding
  }
}

function isBrokenUtf8(sample: Uint8Array): boolean {
  const text = decoded(sample, 'utf-8') ?? '';
  const broken = text.match(/\uFFFD/g)?.length ?? 0;
  const whole = text.match(/[^\0-\x7f\uFFFD]/g)?.length ?? 0;
  return broken <= whole * FEW_BROKEN;
}

function likeliest(sample: Uint8Array): string {
  let best = { encoding: 'windows-1252', score: 0 };
  for (const { encoding, common, usual, latin = false } of CANDIDATES) {
    const text = decoded(sample, encoding) ?? '';
    const beyond = text.match(/[^\0-\x7f]/gu) ?? [];
    const letters = text.match(/\p{L}/gu)?.length ?? 0;
    if (text.includes('\uFFFD') || (latin && beyond.length > letters * MOSTLY_LATIN)) continue;
    const known = new Set(common);
    const share = beyond.filter((letter) => known.has(letter)).length / beyond.length;
    const score = Math.min(share / usual, 1);
    if (score > best.score) best = { encoding, score };
  }
  return best.encoding;
}
