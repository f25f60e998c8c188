import { useEffect, useState } from 'react';
import { formatDate, t } from '../../../i18n/i18n.ts';

/** Returns the start of a day, some days before another. */
const dayBefore = (day: Date, days: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate() - days);

/** Returns the heading that a time is listed under, in the time zone of the browser. */
export function dateGroup(time: string, today: Date): string {
  const date = new Date(time);
  if (date >= dayBefore(today, 0)) return t('chat.today');
  if (date >= dayBefore(today, 1)) return t('chat.yesterday');
  if (date >= dayBefore(today, 7)) return t('chat.previousDays', { count: 7 });
  if (date >= dayBefore(today, 30)) return t('chat.previousDays', { count: 30 });
  const isThisYear = date.getFullYear() === today.getFullYear();
  return formatDate(date, isThisYear ? { month: 'long' } : { month: 'long', year: 'numeric' });
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
