import type { ModelSettings } from '@chorus/client';
import { Button, Group, Stack, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../../components/form.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { useModels } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';

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
      <SectionTitle mb={4}>{t('administration.fallbacks')}</SectionTitle>
      <Dimmed mb="md">
        {isFixed ? t('administration.setByVariable', { variable: 'FALLBACKS' }) : t('administration.fallbacksHint')}
      </Dimmed>
      <Form onSubmit={() => onChange(filled)}>
        <Stack>
          {edited.map(({ key, models }, at) => (
            <TagsInput
              key={key}
              label={t('administration.chain', { number: at + 1 })}
              description={models.length > 1 ? models.join(' → ') : t('administration.chooseTwoModels')}
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
                {t('administration.addChain')}
              </Button>
              <Button
                type="submit"
                disabled={!isChanged || filled.some(({ length }) => length < 2)}
                loading={isPending}
              >
                {t('administration.saveFallbacks')}
              </Button>
            </Group>
          )}
        </Stack>
      </Form>
    </section>
  );
}
