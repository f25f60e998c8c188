import { useEffect, useState } from 'react';

const kept = new Map<string, unknown>();
let users = 0;

/** Like `useState`, but a change of the language, which creates all components again, keeps the value. */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState(() => (kept.has(name) ? (kept.get(name) as T) : initial));
  useEffect(() => {
    users += 1;
    return () => {
      users -= 1;
      // By then, the new components are mounted. If there are none, the user has left.
      setTimeout(() => users === 0 && kept.clear());
    };
  }, []);
  const change = (next: T) => {
    kept.set(name, next);
    setValue(next);
  };
  return [value, change];
}
