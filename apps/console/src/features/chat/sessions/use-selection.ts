import { useCallback, useRef, useState } from 'react';

export interface Selection {
  /** Null while nothing can be selected. */
  ids: ReadonlySet<string> | null;
  start: (id?: string) => void;
  end: () => void;
  /** Toggles a row, or with `isRange`, all rows from the last toggled one. Stable. */
  toggle: (id: string, isRange: boolean) => void;
  setAll: (isSelected: boolean) => void;
}

/** Tracks the selected rows of a list. */
export function useSelection(rows: readonly { id: string }[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string> | null>(null);
  const latest = useRef(rows);
  latest.current = rows;
  const anchor = useRef<string | null>(null);
  const toggle = useCallback((id: string, isRange: boolean) => {
    const all = latest.current.map((row) => row.id);
    const from = isRange && anchor.current !== null ? all.indexOf(anchor.current) : -1;
    const to = all.indexOf(id);
    anchor.current = id;
    setIds((known) => {
      const next = new Set(known);
      if (from >= 0 && to >= 0) for (const one of all.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one);
      else if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const start = (id?: string) => {
    anchor.current = id ?? null;
    setIds(new Set(id === undefined ? [] : [id]));
  };
  const setAll = (isSelected: boolean) => setIds(new Set(isSelected ? rows.map(({ id }) => id) : []));
  return { ids, start, end: () => setIds(null), toggle, setAll };
}
