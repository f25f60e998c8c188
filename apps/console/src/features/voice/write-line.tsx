import { ArrowUpIcon } from '@heroicons/react/24/outline';
import { ActionIcon, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';

/** For what is easier written than said. */
export function WriteLine({ isReady, onWrite }: { isReady: boolean; onWrite: (text: string) => void }) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || text.trim() === '') return;
    onWrite(text);
    setText('');
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        aria-label="Write instead"
        placeholder="Or write"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rightSection={
          <ActionIcon type="submit" variant="subtle" aria-label="Say it" disabled={!isReady}>
            <ArrowUpIcon />
          </ActionIcon>
        }
      />
    </form>
  );
}
