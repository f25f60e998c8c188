import type { Prompt } from '@chorus/client';
import { type KeyboardEvent, type Ref, useImperativeHandle, useState } from 'react';
import { Dimmed } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import classes from './prompt-menu.module.css';

/** Keys that arrive in the message box while the menu is open. */
export interface PromptMenuKeys {
  /** Returns whether the menu handled the key. */
  onKeyDown: (event: KeyboardEvent) => boolean;
}

interface PromptMenuProps {
  ref: Ref<PromptMenuKeys>;
  id: string;
  prompts: readonly Prompt[];
  onChoose: (prompt: Prompt) => void;
}

/** The prompts that match what was typed after a slash. */
export default function PromptMenu({ ref, id, prompts, onChoose }: PromptMenuProps) {
  const [active, setActive] = useState(0);
  const current = Math.min(active, prompts.length - 1);
  useImperativeHandle(ref, () => ({
    onKeyDown: ({ key, shiftKey }) => {
      const chosen = prompts[current];
      if (chosen === undefined) return false;
      if (key === 'ArrowDown') setActive((current + 1) % prompts.length);
      else if (key === 'ArrowUp') setActive((current - 1 + prompts.length) % prompts.length);
      else if ((key === 'Enter' && !shiftKey) || key === 'Tab') onChoose(chosen);
      else return false;
      return true;
    },
  }));
  return (
    <div id={id} className={classes.menu} role="listbox" aria-label={t('components.prompts')}>
      {prompts.map((prompt, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the message box handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the message box
        <div
          key={prompt.id}
          role="option"
          aria-selected={index === current}
          className={classes.option}
          onMouseMove={() => setActive(index)}
          // Keeps the focus in the message box.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(prompt)}
        >
          <bdi className={classes.name}>{prompt.name}</bdi>
          <Dimmed size="xs" truncate>
            {prompt.content}
          </Dimmed>
        </div>
      ))}
    </div>
  );
}
