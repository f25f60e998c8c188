import { useEffect, useState } from 'react';

const month = new Intl.DateTimeFormat('en', { month: 'long' });
const monthAndYear = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' });

/** Returns the start of a day, some days before another. */
const dayBefore = (day: Date, days: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate() - days);

/** Returns the heading that a time is listed under, in the time zone of the browser. */
export function dateGroup(time: string, today: Date): string {
  const date = new Date(time);
  if (date >= dayBefore(today, 0)) return 'Today';
  if (date >= dayBefore(today, 1)) return 'Yesterday';
  if (date >= dayBefore(today, 7)) return 'Previous 7 days';
  if (date >= dayBefore(today, 30)) return 'Previous 30 days';
  return (date.getFullYear() === today.getFullYear() ? month : monthAndYear).format(date);
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
