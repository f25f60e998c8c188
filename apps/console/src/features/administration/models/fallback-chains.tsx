import type { ModelSettings } from '@chorus/client';
import { Button, Group, Stack, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../../components/form.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { useModels } from '../../../data/queries.ts';

interface FallbackChainsProps {
  fallbacks: ModelSettings['fallbacks'];
  isPending: boolean;
  onChange: (chains: string[][]) => void;
}

interface Chain {
  key: string;
  models: string[];
}

const toChain = (models: string[]): Chain => ({ key: crypto.randomUUID(), models });

/** Edits which models answer when another one fails. */
export function FallbackChains({ fallbacks: { chains, source }, isPending, onChange }: FallbackChainsProps) {
  const ids = useModels('chat').map(({ id }) => id);
  const [edited, setEdited] = useState(() => chains.map(toChain));
  const isFixed = source === 'environment';
  const set = (key: string, models: string[]) =>
    setEdited((all) => all.map((one) => (one.key === key ? { ...one, models } : one)));
  const filled = edited.map(({ models }) => models).filter((models) => models.length > 0);
  const isChanged = JSON.stringify(filled) !== JSON.stringify(chains);
  return (
    <section>
      <SectionTitle mb={4}>Fallbacks</SectionTitle>
      <Dimmed mb="md">
        {isFixed
          ? 'Set by FALLBACKS in the environment, which wins.'
          : 'If the first model of a chain fails, the next ones answer in its place, in this order.'}
      </Dimmed>
      <Form onSubmit={() => onChange(filled)}>
        <Stack>
          {edited.map(({ key, models }, at) => (
            <TagsInput
              key={key}
              label={`Chain ${at + 1}`}
              description={models.length > 1 ? models.join(' → ') : 'Choose at least two models'}
              data={ids}
              value={models}
              onChange={(next) => set(key, next)}
              disabled={isFixed}
              clearable
            />
          ))}
          {!isFixed && (
            <Group gap="xs">
              <Button variant="default" onClick={() => setEdited((all) => [...all, toChain([])])}>
                Add chain
              </Button>
              <Button
                type="submit"
                disabled={!isChanged || filled.some(({ length }) => length < 2)}
                loading={isPending}
              >
                Save fallbacks
              </Button>
            </Group>
          )}
        </Stack>
      </Form>
    </section>
  );
}
