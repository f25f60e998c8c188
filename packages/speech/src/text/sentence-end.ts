/** Words before a period that does not end a sentence, in common languages. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof st sr jr rev gen col lt sgt capt hon messrs mt no nos vol pp fig figs eq ch sec art ed eds approx est dept inc ltd corp co bros ' +
    'vs cf al etc ca jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun ' +
    'hr fr dipl ing bzw usw ggf evtl inkl exkl zzgl bspw vgl nr str abs abb tel geb gest jh jhd mio mrd tsd ' +
    'sra srta dra ud uds pág núm av m mm mme mlle p env tél bd sig dott avv ecc pag'
  ).split(' '),
);

/** Abbreviations that often end a sentence, which they do if a capital letter follows. */
const MAY_END = new Set([
  'etc',
  'inc',
  'ltd',
  'corp',
  'co',
  'al',
  'usw',
  'ecc',
  'sat',
  'sun',
  'no',
  'art',
  'mar',
  'sec',
  'fig',
  'ed',
  'av',
  'm',
  'p',
  'mm',
  'bd',
]);

const MONTHS =
  /^(?:januar|februar|märz|maerz|april|mai|juni|juli|august|september|oktober|november|dezember|jan|feb|mär|apr|jun|jul|aug|sep|okt|nov|dez|jahrhundert|kapitel|etage|stock)/iu;

/** Returns whether a sentence ends at `at`. Null if that depends on text to come. */
export function isSentenceEnd(text: string, at: number, ended: boolean): boolean | null {
  const sign = text[at] as string;
  if ('。！？｡।॥۔؟'.includes(sign)) return true;
  if (!'.!?…'.includes(sign)) return false;
  // The last of several punctuation marks counts, after quotation marks and brackets.
  let next = at + 1;
  while (next < text.length && /["'”’»)\]*_]/.test(text[next] as string)) next += 1;
  const follower = text[next];
  if (follower === undefined) return ended ? true : null;
  if (!/\s/.test(follower)) return false;
  if (sign !== '.') return true;
  const word = /[\p{L}\p{N}.]{0,40}$/u.exec(text.slice(Math.max(0, at - 40), at))?.[0] ?? '';
  if (!mayAbbreviate(word)) return true;
  const after = /\S/.exec(text.slice(next))?.index;
  if (after === undefined) return ended ? true : null;
  return endsThere(word, text.slice(next + after), ended);
}

/** Returns whether a final text ends with a sentence, not with a possible abbreviation or number. */
export function endsSentence(text: string): boolean {
  const [, before = '', sign] = /([\p{L}\p{N}.]{0,40})([.!?…。！？｡।॥۔؟])["'”’»)\]*_」』）]*\s*$/u.exec(text) ?? [];
  if (sign === undefined) return false;
  return sign !== '.' || !(mayAbbreviate(before) || /\d$/.test(before));
}

/** Returns whether a period after the word may be part of it. */
function mayAbbreviate(word: string): boolean {
  const lower = word.toLowerCase();
  return (
    /^\p{L}$/u.test(word) ||
    /^\p{L}{1,2}(?:\.\p{L}{1,2})+$/u.test(word) ||
    /^\d{1,2}$/.test(word) ||
    ABBREVIATIONS.has(lower)
  );
}

function endsThere(word: string, following: string, ended: boolean): boolean | null {
  const capital = /^\p{Lu}/u.test(following);
  // German ordinals: `3. Oktober`, `2. und`. Otherwise a number ends a sentence or begins a list item.
  if (/^\d{1,2}$/.test(word)) {
    if (!capital) return false;
    const next = /^\p{L}*/u.exec(following)?.[0] ?? '';
    if (!ended && next.length === following.length && next.length < 12) return null;
    return !MONTHS.test(next);
  }
  if (/^\p{L}$/u.test(word)) return word === 'I' && capital;
  if (MAY_END.has(word.toLowerCase()) || word.includes('.')) return capital;
  return false;
}
