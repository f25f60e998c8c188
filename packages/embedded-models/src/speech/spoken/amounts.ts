import { cardinal, decade, digitsOf, fraction, isOne, NUMBER, ordinal, type Rule, year } from './numbers.ts';
import { UNITS } from './units.ts';

const MINUS = '(?<![\\w.,)\\]°%])[-−–]\\s?(?=[$€£¥₹.]?\\d)';
/** Between the ends of a range. */
const TO = '\\s?(?:-|–|—|to)\\s?';

interface Currency {
  one: string;
  many: string;
  cent?: string;
  cents?: string;
}
const dollar = (kind: string): Currency => ({
  one: `${kind}dollar`,
  many: `${kind}dollars`,
  cent: 'cent',
  cents: 'cents',
});
const EURO = { one: 'euro', many: 'euros', cent: 'cent', cents: 'cents' };
const POUND = { one: 'pound', many: 'pounds', cent: 'penny', cents: 'pence' };
const CURRENCIES: Record<string, Currency> = {
  $: dollar(''),
  US$: dollar('U.S. '),
  C$: dollar('Canadian '),
  A$: dollar('Australian '),
  '€': EURO,
  '£': POUND,
  '¥': { one: 'yen', many: 'yen' },
  '₹': { one: 'rupee', many: 'rupees' },
  '₩': { one: 'won', many: 'won' },
  USD: dollar('U.S. '),
  CAD: dollar('Canadian '),
  AUD: dollar('Australian '),
  EUR: EURO,
  GBP: POUND,
  CHF: { one: 'Swiss franc', many: 'Swiss francs' },
  JPY: { one: 'yen', many: 'yen' },
  INR: { one: 'rupee', many: 'rupees' },
};
const SIGN = '(US\\$|C\\$|A\\$|[$€£¥₹₩]|(?:USD|CAD|AUD|EUR|GBP|CHF|JPY|INR)(?=\\s?\\d))';
const CODE = '([$€£¥₹₩]|(?:USD|CAD|AUD|EUR|GBP|CHF|JPY|INR)\\b)';

const SCALES: Record<string, string> = {
  k: 'thousand',
  thousand: 'thousand',
  m: 'million',
  mn: 'million',
  mio: 'million',
  million: 'million',
  b: 'billion',
  bn: 'billion',
  billion: 'billion',
  t: 'trillion',
  tn: 'trillion',
  trillion: 'trillion',
};
const SCALE = `(?:\\s?(${Object.keys(SCALES).join('|')})\\b)?`;

function money(sign: string, amount: string, scale = ''): string {
  const { one, many, cent, cents } = CURRENCIES[sign.toUpperCase()]!;
  const name = SCALES[scale.toLowerCase()];
  if (name === 'thousand') return `${cardinal(String(Math.round(Number(amount.replaceAll(',', '')) * 1_000)))} ${many}`;
  if (name !== undefined) return `${cardinal(amount)} ${name} ${many}`;
  const [whole = '', part = ''] = amount.replaceAll(',', '').split('.');
  if (part.length !== 2 || cents === undefined) return `${cardinal(amount)} ${isOne(amount) ? one : many}`;
  const small = Number(part) === 0 ? '' : `${cardinal(String(Number(part)))} ${Number(part) === 1 ? cent : cents}`;
  if (Number(whole) === 0 && small !== '') return small;
  const large = `${cardinal(whole)} ${isOne(whole) ? one : many}`;
  return small === '' ? large : `${large} and ${small}`;
}

const unitNames = Object.keys(UNITS)
  .sort((one, other) => other.length - one.length)
  .map((unit) => unit.replace(/[/^$°"%]/g, '\\$&'))
  .join('|');

function measured(amount: string, unit: string): string {
  const [one, many] = UNITS[unit]!;
  return `${cardinal(amount)} ${isOne(amount) ? one : many}`;
}

const per = (rest: string) =>
  rest.replace(/\/(month|mo|year|yr|day|week|hour|hr|h|user|person|kg|unit|seat)\b/, (_, unit) => {
    const names: Record<string, string> = { mo: 'month', yr: 'year', hr: 'hour', h: 'hour', kg: 'kilogram' };
    return ` per ${names[unit] ?? unit}`;
  });

/** Money, percentages, measures, fractions, ranges and signs. The first that matches wins. */
export const AMOUNTS: Rule[] = [
  [/(?<![\w])['’](\d0)s\b/g, (_, tens) => decade(tens!)],
  [/(?<![\w.,])((?:1[1-9]|20)\d0|[2-9]0)s\b/g, (_, written) => decade(written!)],
  [/(?<=[$€£¥₹\d])\/(?:month|mo|year|yr|day|week|hour|hr|user|person|kg|unit|seat)\b/g, per],
  [new RegExp(MINUS, 'g'), 'minus '],
  [/±\s?/g, 'plus or minus '],
  [/(?<![\w.])[~≈]\s?(?=[$€£]?\d)/g, 'about '],
  // Ranges keep the sign or unit of their end.
  [
    new RegExp(`${SIGN}\\s?(${NUMBER})${TO}\\1?(${NUMBER})${SCALE}`, 'gi'),
    (_, sign, from, to, scale) => `${cardinal(from!)} to ${money(sign!, to!, scale)}`,
  ],
  [new RegExp(`${SIGN}\\s?(${NUMBER})${SCALE}`, 'gi'), (_, sign, amount, scale) => money(sign!, amount!, scale)],
  [
    new RegExp(`(?<![\\w.,])(${NUMBER})${SCALE}\\s?${CODE}`, 'g'),
    (_, amount, scale, code) => money(code!, amount!, scale),
  ],
  [new RegExp(`(${NUMBER})\\s?¢`, 'g'), (_, amount) => `${cardinal(amount!)} ${isOne(amount!) ? 'cent' : 'cents'}`],
  [
    /(?<![\w.,/])(\d{4})[-–](\d{2}|\d{4})(?![\w/%-])/g,
    (all, from, to) =>
      isYear(from!) && isAfter(from!, to!) ? `${year(from!)} to ${to!.length === 4 ? year(to!) : cardinal(to!)}` : all,
  ],
  [
    new RegExp(`(?<![\\w.,/-])(${NUMBER})(?:\\s?[-–—]\\s?)(?=${NUMBER}(?![\\w]*[-–/]\\d))`, 'g'),
    (_, from) => `${cardinal(from!)} to `,
  ],
  [
    new RegExp(`(${NUMBER})\\s?(%|‰|percent\\b)`, 'g'),
    (_, amount, sign) => `${cardinal(amount!)} ${sign === '‰' ? 'per mille' : 'percent'}`,
  ],
  [
    new RegExp(`(?<![\\w.,])(${NUMBER})\\s?(${unitNames})(?![\\w²³^])`, 'g'),
    (_, amount, unit) => measured(amount!, unit!),
  ],
  [/(?<=\w)\^2\b/g, ' squared'],
  [/(?<=\w)\^3\b/g, ' cubed'],
  [/(?<=\w)\^\{?(-?\d{1,6})\}?/g, (_, power) => ` to the power of ${power}`],
  [
    new RegExp(`(?<![\\w.])(${NUMBER})e([+-]?\\d{1,3})\\b`, 'g'),
    (_, amount, power) => `${cardinal(amount!)} times ten to the power of ${power}`,
  ],
  [/√\s?/g, 'the square root of '],
  [/(?<![\w/.,])24\/7(?![\w/])/g, 'twenty-four seven'],
  [
    /(?<![\w/.,])(\d{1,3})\s(\d)\/(\d{1,2})(?![\w/])/g,
    (all, whole, above, below) =>
      Number(below) < 2 ? all : `${cardinal(whole!)} and ${fraction(above!, below!).replace(/^one /, 'a ')}`,
  ],
  [/(?<![\w/.,])(\d{1,3})\/(\d{1,3})(?![\w/])/g, (_, above, below) => part(above!, below!)],
  [/(?<![\w.,])(\d{1,3}):(\d{1,3})(?![\w:])/g, (_, one, other) => `${cardinal(one!)} to ${cardinal(other!)}`],
  [/(?<=\d|\b[a-z]|[)])\s?[×x]\s?(?=\d)|(?<=\d)\s?×\s?/g, ' times '],
  [/(?<![\w.])(\d{1,3})x(?!\w)/g, (_, times) => `${cardinal(times!)} times`],
  [/(?<=[\w)])\s?÷\s?/g, ' divided by '],
  [/(?<=\d)\s?\/\s(?=\d)|(?<=\d)\s\/\s?(?=\d)/g, ' divided by '],
  [/(?<=[\w)])\s?\+\s?(?=[\w(])/g, ' plus '],
  [/(?<=\d)\+(?!\w)/g, ' plus'],
  [/(?<=[\w)])\s[-−–]\s(?=\d[^=\n]{0,30}=)|(?<=[\w)])\s?−\s?(?=\w)/g, ' minus '],
  [/\s?≤\s?|\s<=\s/g, ' is at most '],
  [/\s?≥\s?|\s>=\s/g, ' is at least '],
  [/\s?(?:≠|!=)\s?/g, ' is not '],
  [/\s?≈\s?/g, ' is about '],
  [/(?<=[\w)])\s?<\s?(?=\d)/g, ' is less than '],
  [/(?<=[\w)])\s?>\s?(?=\d)/g, ' is greater than '],
  [/(?<=[\w)])\s?={1,3}\s?(?=[\w(-])/g, ' equals '],
];

/** Numbers that no other rule has matched. */
export const PLAIN_NUMBERS: Rule[] = [
  [/(?<![\w.])(\d{1,3}(?:,\d{3}){0,4}|\d{1,9})(st|nd|rd|th)\b/gi, (_, number) => ordinal(number!)],
  [
    new RegExp(`(?<![\\w.])(${NUMBER})\\s?(k|K|M|bn|mn)(?![\\w'])`, 'g'),
    (all, amount, scale) =>
      /^[48]K$/.test(all) ? `${cardinal(amount!)} K` : `${cardinal(amount!)} ${SCALES[scale!.toLowerCase()]}`,
  ],
  [/(?<![\w.,$€£-])(1[1-9]\d\d|20\d\d)(?!\w|[.,]\d|-\d)/g, (_, written) => year(written!)],
  // Digits next to letters, as in MP3 and A4.
  [/(?<=\p{L})-?(?=\d)|(?<=\d)-?(?=\p{L})/gu, ' '],
  [new RegExp(NUMBER, 'g'), (number) => (/^\d{10,}$/.test(number) ? digitsOf(number) : cardinal(number))],
];

const isYear = (written: string) => Number(written) >= 1_100 && Number(written) < 2_100;
const isAfter = (from: string, to: string) => Number(to) > Number(to.length === 2 ? from.slice(2) : from);

function part(above: string, below: string): string {
  const [most, all] = [Number(above), Number(below)];
  if (all === 10 || all === 100) return `${cardinal(above)} out of ${cardinal(below)}`;
  const isFraction = all >= 2 && all <= 20 && most > 0 && !above.startsWith('0');
  if (isFraction && (most < all || all < 10)) return fraction(above, below);
  return most > all ? `${cardinal(above)} ${cardinal(below)}` : `${cardinal(above)} over ${cardinal(below)}`;
}
