import { DirectionProvider } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
import { currentLanguage, onLanguageChange } from './i18n.ts';
import { directionOf } from './languages.ts';

/** Renders its children again when the language changes. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const language = useSyncExternalStore(onLanguageChange, currentLanguage);
  return (
    <DirectionProvider key={language} initialDirection={directionOf(language)} detectDirection={false}>
      {children}
    </DirectionProvider>
  );
}
