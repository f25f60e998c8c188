import { cardinal, digitsOf, ordinal, type Rule, year } from './numbers.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const MONTH =
  '(Jan(?:uary|\\.)?|Feb(?:ruary|\\.)?|Mar(?:ch|\\.)?|Apr(?:il|\\.)?|May|June?|July?|Aug(?:ust|\\.)?|Sept?(?:ember|\\.)?|Oct(?:ober|\\.)?|Nov(?:ember|\\.)?|Dec(?:ember|\\.)?)';
const YEAR = '((?:1[1-9]|20)\\d\\d)';
const DAYS: Record<string, string> = {
  Mon: 'Monday',
  Tue: 'Tuesday',
  Tues: 'Tuesday',
  Wed: 'Wednesday',
  Thu: 'Thursday',
  Thur: 'Thursday',
  Thurs: 'Thursday',
  Fri: 'Friday',
  Sat: 'Saturday',
  Sun: 'Sunday',
};

const monthNamed = (written: string) => MONTHS.find((month) => month.startsWith(written.slice(0, 3)))!;

/** Reads a date. Returns the text unchanged if there is no such date. */
function date(all: string, month: string, day: string, yearOrNone?: string): string {
  const name = MONTHS[Number(month) - 1];
  if (name === undefined || Number(day) < 1 || Number(day) > 31) return all;
  return `${name} ${ordinal(day)}${yearOrNone === undefined ? '' : `, ${year(yearOrNone)}`}`;
}

/** The month comes first, unless that is not a valid date. */
function slashed(all: string, first: string, second: string, written: string): string {
  const full = written.length === 2 ? `20${written}` : written;
  return Number(first) > 12 ? date(all, second, first, full) : date(all, first, second, full);
}

const HALF = '(?:\\s?([aApP])\\.?[mM]\\b(\\.)?)';

/** @param half `a` or `p`, if known @param dot a period after it that may end the sentence */
function time(hour: string, minute: string | undefined, half = '', second?: string): string {
  const minutes = Number(minute ?? 0);
  const spoken =
    minutes === 0 ? '' : minutes < 10 ? ` oh ${cardinal(String(minutes))}` : ` ${cardinal(String(minutes))}`;
  const seconds = second === undefined ? '' : ` and ${cardinal(String(Number(second)))} seconds`;
  if (half !== '') return `${cardinal(String(Number(hour)))}${spoken}${seconds} ${half.toUpperCase()} M`;
  if (spoken !== '') return `${hour === '00' ? 'zero' : cardinal(String(Number(hour)))}${spoken}${seconds}`;
  const isClock = Number(hour) >= 1 && Number(hour) <= 12;
  if (seconds !== '') return `${cardinal(String(Number(hour)))} ${isClock ? "o'clock" : 'hundred'}${seconds}`;
  return isClock
    ? `${cardinal(String(Number(hour)))} o'clock`
    : hour === '00'
      ? 'midnight'
      : `${cardinal(hour)} hundred`;
}

const isTime = (hour: string, minute: string) => Number(hour) < 25 && Number(minute) < 60;

/** Dates, times of day and their ranges. The first that matches wins. */
export const MOMENTS: Rule[] = [
  [
    /(?<![\w-])((?:1[1-9]|20)\d\d)-(\d\d)-(\d\d)(?:T(?=\d\d:))?(?![\w-]*\d-)/g,
    (all, written, month, day) => `${date(all, month!, day!, written!)}${all.endsWith('T') ? ' ' : ''}`,
  ],
  [/(?<![\w/.-])(\d{1,2})\/(\d{1,2})\/((?:1[1-9]|20)\d\d|\d\d)(?![\w/])/g, slashed],
  [
    /(?<![\w/.-])(\d{1,2})\.(\d{1,2})\.((?:1[1-9]|20)\d\d)(?![\w.]*\d)/g,
    (all, day, month, written) => date(all, month!, day!, written!),
  ],
  [
    new RegExp(
      `\\b${MONTH}\\s(\\d{1,2})(?:st|nd|rd|th)?\\s?[-–]\\s?(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s${YEAR})?(?!\\w)`,
      'g',
    ),
    (_, month, from, to, written) =>
      `${monthNamed(month!)} ${ordinal(from!)} to ${ordinal(to!)}${written ? `, ${year(written)}` : ''}`,
  ],
  [
    new RegExp(`\\b${MONTH}\\s(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s${YEAR})?(?![\\w:]|[.,]\\d)`, 'g'),
    (_, month, day, written) => `${monthNamed(month!)} ${ordinal(day!)}${written ? `, ${year(written)}` : ''}`,
  ],
  [
    new RegExp(`(?<![\\w.,:/-])(\\d{1,2})(?:st|nd|rd|th)?(?:\\sof)?\\s${MONTH}(?:,?\\s${YEAR})?(?!\\w)`, 'g'),
    (all, day, month, written) =>
      Number(day) > 31 ? all : `the ${ordinal(day!)} of ${monthNamed(month!)}${written ? `, ${year(written)}` : ''}`,
  ],
  [/\bthe the (?=\w+ of (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))/gi, 'the '],
  [new RegExp(`\\b${MONTH},?\\s${YEAR}(?!\\w)`, 'g'), (_, month, written) => `${monthNamed(month!)} ${year(written!)}`],
  [/\b(Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec)\./g, (_, month) => monthNamed(month!)],
  [
    /\b(Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)[-–](Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)\b/g,
    (_, from, to) => `${DAYS[from!]} to ${DAYS[to!]}`,
  ],
  [
    /\b(Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)(?:\.(?=\s?[\d,a-z])|(?=,?\s\d)|(?=,\s)|(?=\s(?:[-–]|to)\s(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b))/g,
    (_, day) => DAYS[day!]!,
  ],
  [/(?<=\d(?::\d\d)?\s?(?:[ap]\.?m\.?)?)\s?[-–]\s?(?=\d{1,2}(?::\d\d|\s?[ap]\.?m\b))/gi, ' to '],
  [
    new RegExp(`(?<![\\w.,:])(\\d{1,2})(?::([0-5]\\d))?(?::([0-5]\\d))?${HALF}(?=(\\s+[a-z\\d(]|[,;:!?)])?)`, 'g'),
    (all, hour, minute, second, half, dot, more) =>
      Number(hour) > 24 ? all : `${time(hour!, minute, half, second)}${dot && !more ? '.' : ''}`,
  ],
  [
    /(?<![\w.,:])([01]?\d|2[0-4]):([0-5]\d):([0-5]\d)(?![\w:])/g,
    (_, hour, minute, second) => time(hour!, minute, '', second),
  ],
  [
    /(?<![\w.,:])([01]?\d|2[0-4]):([0-5]\d)(?![\w:])(?:\s?(?:h|Uhr)\b)?/g,
    (all, hour, minute) => (isTime(hour!, minute!) ? time(hour!, minute) : all),
  ],
  [
    /(?<![\w.,])(\d{1,2})h\s?(\d{1,2})(?:m|min)?\b/g,
    (_, hours, minutes) =>
      `${cardinal(hours!)} ${hours === '1' ? 'hour' : 'hours'} ${cardinal(minutes!)} ${minutes === '1' ? 'minute' : 'minutes'}`,
  ],
  [/(?<=\b(?:call|dial|ring|phone)(?:ed|ing)? )(\d{3})\b/gi, (number) => digitsOf(number)],
];
