import { useCallback, useRef, useState } from 'react';

export interface Selection {
  /** Null while nothing can be selected. */
  ids: ReadonlySet<string> | null;
  start: (id?: string) => void;
  end: () => void;
  /** Selects a row or not; with `isRange`, the rows from the last one that was toggled. Stable. */
  toggle: (id: string, isRange: boolean) => void;
  setAll: (isSelected: boolean) => void;
}

/** Keeps which rows of a list are selected. */
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
