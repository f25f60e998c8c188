import { createContext, type ReactNode } from 'react';

/** How `[1]` is drawn where it refers to a source; null: texts have no sources here. */
export const ReferencesContext = createContext<((marker: number) => ReactNode) | null>(null);
