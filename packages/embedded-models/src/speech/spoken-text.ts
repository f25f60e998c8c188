/** Abbreviations and how they are read. */
const ABBREVIATIONS: [RegExp, string][] = [
  [/\be\.\s?g\.,?/gi, 'for example,'],
  [/\bi\.\s?e\.,?/gi, 'that is,'],
  [/\betc\.(?=\s*[.,;:!?)]|\s*$)/gi, 'et cetera'],
  [/\betc\./gi, 'et cetera,'],
  [/\bvs\.?(?=\s)/gi, 'versus'],
  [/\bapprox\./gi, 'approximately'],
  [/\bNo\.(?=\s?\d)/g, 'number'],
  [/\bSt\.(?=\s[A-Z])/g, 'Saint'],
];
const SIGNS: [RegExp, string][] = [
  [/&/g, ' and '],
  [/(?<=\d)\s?[x×]\s?(?=\d)/g, ' times '],
  [/(?<=\d)\s?[+]\s?(?=\d)/g, ' plus '],
  [/(?<=[\d\s])=(?=[\d\s])/g, ' equals '],
  [/(?<=\d)\s?°\s?C\b/g, ' degrees Celsius'],
  [/(?<=\d)\s?°\s?F\b/g, ' degrees Fahrenheit'],
  [/°/g, ' degrees '],
  [/(?<=\d)\s?km\/h\b/g, ' kilometers per hour'],
  [/(?<=\w)@(?=\w)/g, ' at '],
  [/#(?=\d)/g, ' number '],
  [/[*_`~#|<>^{}[\]\\]+/g, ' '],
];
/** At least two capitals, such as GPU, U.S.A., PDFs: read letter by letter. */
const LETTERS = /\b(?:[A-Z]\.){2,}|\b(?=[A-Z]*[A-Z]{2})[A-Z]{2,5}(s?)\b/g;
/** Acronyms that are read as words. */
const AS_WORDS = new Set(['NASA', 'NATO', 'UNESCO', 'UNICEF', 'OK', 'LASER', 'RADAR', 'JPEG', 'PIN', 'RAM', 'JSON']);
const VOWEL = /[AEIOUY]/;
const PLAIN_QUOTES = /[“”„«»"]/g;
const APOSTROPHES = /[‘’ʼ´]/g;
const MARKS = /\p{M}+/gu;
const NOT_SAID = /[^\p{Script=Latin}\p{N}\s.,;:!?…—'$€£%/()-]+/gu;

/** Writes a text as it is read aloud: addresses, signs and abbreviations in words. English only. */
export function spokenText(text: string): string {
  let said = text.normalize('NFKC').replace(APOSTROPHES, "'").replace(PLAIN_QUOTES, '');
  said = said.replace(/\bhttps?:\/\/(?:www\.)?([\w.-]+)[^\s,;)]*/gi, (_, host: string) => dotted(host));
  said = said.replace(/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, (address) =>
    dotted(address.replace('@', ' at ')),
  );
  for (const [pattern, words] of ABBREVIATIONS) said = said.replace(pattern, words);
  for (const [pattern, words] of SIGNS) said = said.replace(pattern, words);
  said = said.replace(/(?<=\d),(?=\d{3}\b)/g, '').replace(/\s[–—-]+\s|[–—]/g, ' — ');
  said = said.replace(/[()]/g, ', ').replace(LETTERS, lettersOf);
  said = said.normalize('NFD').replace(MARKS, '').normalize('NFC').replace(NOT_SAID, ' ');
  return said
    .replace(/\s+/g, ' ')
    .replace(/\s+(?=[.,;:!?…])/g, '')
    .replace(/([,;:])[,;:]+/g, '$1')
    .replace(/,(?=[.!?…])/g, '')
    .replace(/^[\s,;:.]+/, '')
    .trim();
}

function dotted(address: string): string {
  return address.replace(/\.(?=\w)/g, ' dot ').replace(/[._-]+/g, ' ');
}

function lettersOf(word: string, plural = ''): string {
  const letters = word.replace(/[.\s]/g, '').slice(0, plural === '' ? undefined : -1);
  if (AS_WORDS.has(letters) || (letters.length > 3 && VOWEL.test(letters))) return letters.toLowerCase() + plural;
  return [...letters].join(' ') + (plural === '' ? '' : "'s");
}
