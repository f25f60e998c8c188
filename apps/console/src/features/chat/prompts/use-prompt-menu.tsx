import type { Prompt } from '@chorus/client';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react';
import { usePrompts } from '../../../data/queries.ts';
import { withMessages } from '../../../i18n/i18n.ts';
import type { PromptMenuKeys } from './prompt-menu.tsx';
import { promptQuery, variablesOf } from './prompt-text.ts';

const PromptMenu = lazy(withMessages(['conversation', 'components'], () => import('./prompt-menu.tsx')));
const VariablesDialog = lazy(withMessages(['conversation', 'components'], () => import('./variables-dialog.tsx')));

const MAX_SHOWN = 20;

interface MenuState {
  /** The menu, and the dialog for variables. */
  menu: ReactNode;
  /** Attributes of the message box while the menu is open. */
  inputProps: { 'aria-controls'?: string };
  /** Returns whether the menu handled the key. */
  onKeyDown: (event: KeyboardEvent) => boolean;
}

/** Offers prompts while the message is a slash and words. Escape leaves the message as it is. */
export function usePromptMenu(text: string, onText: (text: string) => void): MenuState {
  const [dismissed, setDismissed] = useState<string | null>(null);
  const [filling, setFilling] = useState<Prompt | null>(null);
  const keys = useRef<PromptMenuKeys>(null);
  const id = useId();
  const query = text === dismissed ? null : promptQuery(text);
  const { data: all = [] } = usePrompts({ enabled: query !== null });
  const words = query?.toLowerCase() ?? '';
  const prompts =
    query === null ? [] : all.filter(({ name }) => name.toLowerCase().includes(words)).slice(0, MAX_SHOWN);
  const isOpen = prompts.length > 0;

  const choose = (prompt: Prompt) => {
    if (variablesOf(prompt.content).length === 0) onText(prompt.content);
    else setFilling(prompt);
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!isOpen) return false;
    if (event.key === 'Escape') setDismissed(text);
    else if (!keys.current?.onKeyDown(event)) return false;
    event.preventDefault();
    return true;
  };
  const menu = (
    <Suspense>
      {isOpen && <PromptMenu ref={keys} id={id} prompts={prompts} onChoose={choose} />}
      {filling && (
        <VariablesDialog
          prompt={filling}
          onClose={() => setFilling(null)}
          onFilled={(filled) => {
            setFilling(null);
            onText(filled);
          }}
        />
      )}
    </Suspense>
  );
  return { menu, inputProps: isOpen ? { 'aria-controls': id } : {}, onKeyDown };
}
