import { useEffect, useState } from 'react';
import { formatDate, t } from '../../../i18n/i18n.ts';

/** Returns the start of a day, some days before another. */
const dayBefore = (day: Date, days: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate() - days);

/** Cached headings of a day: a list needs them for each row and frame. */
interface Headings {
  recent: readonly { since: Date; name: string }[];
  /** By number of the month. */
  months: Map<number, string>;
}

const headings = new WeakMap<Date, Headings>();

/** Returns the heading that a time is listed under, in the time zone of the browser. */
export function dateGroup(time: string, today: Date): string {
  const { recent, months } = headingsOf(today);
  const date = new Date(time);
  const found = recent.find(({ since }) => date >= since);
  if (found) return found.name;
  const month = 12 * date.getFullYear() + date.getMonth();
  const known = months.get(month);
  if (known !== undefined) return known;
  const isThisYear = date.getFullYear() === today.getFullYear();
  const name = formatDate(date, isThisYear ? { month: 'long' } : { month: 'long', year: 'numeric' });
  months.set(month, name);
  return name;
}

function headingsOf(today: Date): Headings {
  let known = headings.get(today);
  if (known === undefined) {
    const recent = [
      { since: dayBefore(today, 0), name: t('chat.today') },
      { since: dayBefore(today, 1), name: t('chat.yesterday') },
      { since: dayBefore(today, 7), name: t('chat.previousDays', { count: 7 }) },
      { since: dayBefore(today, 30), name: t('chat.previousDays', { count: 30 }) },
    ];
    known = { recent, months: new Map() };
    headings.set(today, known);
  }
  return known;
}

/** Returns the current day, and renders again at midnight. */
export function useToday(): Date {
  const [today, setToday] = useState(() => new Date());
  useEffect(() => {
    // Past midnight, since timers may be a little early.
    const timer = setTimeout(() => setToday(new Date()), dayBefore(today, -1).getTime() - Date.now() + 1_000);
    return () => clearTimeout(timer);
  }, [today]);
  return today;
}
