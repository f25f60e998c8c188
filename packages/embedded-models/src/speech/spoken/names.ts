import { cardinal, ordinal, type Rule } from './numbers.ts';

/** Acronyms that are read as words, although they are short or lack a vowel in the right place. */
const AS_WORDS = new Set(
  'NASA NATO UNESCO UNICEF OK LASER RADAR JPEG PIN RAM JSON SIM ROM AIDS OPEC FIFA SCUBA GIF LAN WAN ZIP DOS RAID SARS COVID NAFTA SAT BIOS CAPTCHA POTUS SWAT'.split(
    ' ',
  ),
);
/** Short words that are written in capitals for emphasis. */
const EMPHASIZED = new Set(
  'A I AN AM AND ALL ANY ARE AS AT BE BUT BY CAN DO FOR GO HAS HE HOW IF IN IS ITS LET MAY ME MY NEW NO NOT NOW OF ON ONE OR OUR OUT SEE SHE SO THE TO TOO TWO UP USE WAS WE WHO WHY WILL YES YET YOU'.split(
    ' ',
  ),
);
/** Acronyms that are read letter by letter although they look like words. */
const AS_LETTERS = new Set(
  'FAQ URL ASAP USA EU UK UI UX AI API IDE IEEE IOS USB SQL UEFA CEO CFO CTO ISO IPO ESPN AOL UAE IBAN IMAP'.split(' '),
);
const VOWEL = /[AEIOUY]/;

/** Separates letters, so that they are read by their names. */
export const spelled = (letters: string) => [...letters.toUpperCase()].join(' ');

function acronym(word: string, plural = ''): string {
  const letters = word.replace(/[.\s]/g, '').slice(0, plural === '' ? undefined : -1);
  const isWord = AS_WORDS.has(letters) || (letters.length > 3 && VOWEL.test(letters) && !AS_LETTERS.has(letters));
  if (isWord || EMPHASIZED.has(letters)) return letters.toLowerCase() + plural;
  return spelled(letters) + (plural === '' ? '' : "'s");
}

const ROMAN: Record<string, number> = { I: 1, V: 5, X: 10, L: 50, C: 100 };
/** I to XCIX. */
const NUMERAL = '((?=[IVXL])(?:X[CL]|L?X{0,3})(?:I[XV]|V?I{0,3}))';
const NUMBERED =
  'Chapter|Part|Act|Scene|Section|Volume|Vol\\.|Book|War|Phase|Type|Class|Title|Article|Level|Stage|Appendix|Figure|Table|Bowl|Mark|Grade|Round|Episode|Season|Step|Tier|Division|Fantasy|Rocky|Schedule|Unit|Canto|Movement|Symphony';
const RULERS =
  'Henry|Louis|Elizabeth|George|Charles|James|William|Edward|Richard|Pius|Benedict|Paul|Philip|Francis|Alexander|Napoleon|Catherine|Nicholas|Frederick|Wilhelm|Ivan|Peter|Leo|Gregory|Ramses|Ramesses|Ferdinand|Otto|Mary|Emmanuel|Innocent|Urban|Clement|Harald|Christian|Gustav|Carl|Carlos|Felipe|Friedrich|Constantine|Theodosius|Margrethe|Beatrix|Leopold|Albert|Baldwin|Robert|John|Thutmose|Xerxes|Darius|Cleopatra|Pope \\w+|King \\w+|Queen \\w+|Emperor \\w+';

function romanValue(numeral: string): number {
  const values = [...numeral].map((sign) => ROMAN[sign]!);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}
const roman = (numeral: string) => String(romanValue(numeral));

/** Abbreviations and how they are read. The first that matches wins. */
export const NAMES: Rule[] = [
  [/\be\.\s?g\.,?/gi, 'for example,'],
  [/\bi\.\s?e\.,?/gi, 'that is,'],
  [/\betc\.(?=\s*[.,;:!?)]|\s*$)/gi, 'et cetera'],
  [/\betc\.(?=\s+\p{Lu})/gu, 'et cetera.'],
  [/\betc\b\.?/gi, 'et cetera'],
  [/\bet al\.?(?!\w)/g, 'et al'],
  [/\bvs\b\.?/gi, 'versus'],
  [/\bapprox\./gi, 'approximately'],
  [/\bca\.(?=\s?\d)/g, 'about'],
  [/\bcf\./g, 'compare'],
  [/\bw\/o\b/g, 'without'],
  [/\bw\/(?=\s?\w)/g, 'with '],
  [/\ba\.?k\.?a\b\.?/gi, 'also known as'],
  [/\bNos?\.(?=\s?\d)|№(?=\s?\d)|#(?=\d)/g, 'number '],
  [/§§?\s?(?=\d)/g, 'section '],
  [/\bpp\.(?=\s?\d)/g, 'pages'],
  [/\bp\.(?=\s?\d)/g, 'page'],
  [/\b([Ff])igs?\.(?=\s?\d)/g, '$1igure'],
  [/\b([Vv])ol\.(?=\s?[\dIVX])/g, '$1olume'],
  [/\b([Cc])h\.(?=\s?\d)/g, '$1hapter'],
  [/\b([Ss])ec\.(?=\s?\d)/g, '$1ection'],
  [/\b([Ee])q\.(?=\s?\d)/g, '$1quation'],
  [/\bDr\.?(?=\s\p{Lu})/gu, 'Doctor'],
  [/\bMr\.?(?=\s)/g, 'Mister'],
  [/\bMrs\.?(?=\s)/g, 'Missus'],
  [/\bMs\.?(?=\s\p{Lu})/gu, 'Miz'],
  [/\bProf\.(?=\s)/g, 'Professor'],
  [/\bGov\.(?=\s\p{Lu})/gu, 'Governor'],
  [/\bSen\.(?=\s\p{Lu})/gu, 'Senator'],
  [/\bRep\.(?=\s\p{Lu})/gu, 'Representative'],
  [/\bGen\.(?=\s\p{Lu})/gu, 'General'],
  [/\bCapt\.(?=\s)/g, 'Captain'],
  [/\bLt\.(?=\s)/g, 'Lieutenant'],
  [/\bSgt\.(?=\s)/g, 'Sergeant'],
  [/\bCol\.(?=\s\p{Lu})/gu, 'Colonel'],
  [/\bRev\.(?=\s\p{Lu})/gu, 'Reverend'],
  [/\bHon\.(?=\s\p{Lu})/gu, 'Honorable'],
  [/\bMt\.?(?=\s\p{Lu})/gu, 'Mount'],
  [/\bFt\.(?=\s\p{Lu})/gu, 'Fort'],
  [/(?<=\p{Lu}\p{Ll}+ |\d(?:st|nd|rd|th) )St\.?(?=\s*(?:[,;:!?)]|$|\s(?!\p{Lu})))/gu, 'Street'],
  [/(?<=\p{Lu}\p{Ll}+ |\d(?:st|nd|rd|th) )St\.(?=\s\p{Lu})/gu, 'Street.'],
  [/\bSt\.?(?=\s\p{Lu})/gu, 'Saint'],
  [/(?<=\s)Ave\b\.?/g, 'Avenue'],
  [/(?<=\s)Blvd\b\.?/g, 'Boulevard'],
  [/(?<=\p{Lu}\p{Ll}+ )Rd\b\.?/gu, 'Road'],
  [/(?<=\s)Apt\.?(?=\s?\d)/g, 'Apartment'],
  [/\bJr\b\.?/g, 'Junior'],
  [/\bSr\b\.?/g, 'Senior'],
  [/\bInc\b\.?/g, 'Incorporated'],
  [/\bLtd\b\.?/g, 'Limited'],
  [/\bCorp\b\.?/g, 'Corporation'],
  [/(?<=\b(?:&|and) )Co\b\.?/g, 'Company'],
  [/\b([Dd])ept\b\.?/g, '$1epartment'],
  [/\b([Gg])ovt\b\.?/g, '$1overnment'],
  [/\b([Aa])ssn\b\.?/g, '$1ssociation'],
  [/\b([Mm])ax\.(?=\s[\w])/g, '$1aximum'],
  [/\b([Mm])in\.(?=\s\d)/g, '$1inimum'],
  [/\b([Aa])vg\b\.?/g, '$1verage'],
  [/\b([Tt])emp\./g, '$1emperature'],
  [/\b([Ee])st\.(?=\s)/g, '$1stimated'],
  [/\b([Ii])ncl\./g, '$1ncluding'],
  [/\bPh\.?D\b\.?/g, 'P H D'],
  [/\b([BM])\.?Sc\b\.?/g, '$1 S C'],
  [/\bWi-?Fi\b/gi, 'wifi'],
  [/\bIEEE\b/g, 'I triple E'],
  [
    new RegExp(`\\b(${NUMBERED})\\s${NUMERAL}\\b(?!['.]\\w)`, 'g'),
    (_, noun, numeral) => `${noun} ${cardinal(roman(numeral!))}`,
  ],
  [
    new RegExp(`\\b(${RULERS})\\s${NUMERAL}\\b(?!')`, 'g'),
    (all, name, numeral) =>
      numeral === 'I' && !/\b(?:Elizabeth|Napoleon|Francis|Charles|James|Pope|King|Queen|Emperor)\b/.test(name!)
        ? all
        : `${name} the ${ordinal(roman(numeral!))}`,
  ],
  [new RegExp(`\\b${NUMERAL}(?=\\s(?:century|centuries)\\b)`, 'g'), (_, numeral) => ordinal(roman(numeral!))],
  [
    /(?<=\p{Lu}\p{L}+\s)(?:II|III|IV|VI|VII|VIII|IX|XI|XII|XIII|XIV|XV|XVI|XX)\b/gu,
    (numeral) => cardinal(roman(numeral)),
  ],
];

/** At least two capitals, such as GPU, U.S.A., PDFs. */
export const ACRONYMS: Rule[] = [
  [/\b(?:[A-Z]\.){2,10}(?=\s+[A-Z][a-z]|\s*$)/g, (found) => `${acronym(found)}.`],
  [/\b(?:[A-Z]\.){2,10}|\b[A-Z]{2,12}(s?)\b/g, (found, plural) => acronym(found, plural)],
];
