import { Button, Group, Stack, Switch, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { Form } from '../../../components/form.tsx';
import { ErrorAlert, QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { formErrors } from '../../../data/describe-error.ts';
import { notifySuccess } from '../../../data/notify.ts';
import { INSTRUCTIONS_KEY } from '../../../data/queries.ts';
import { formatNumber, t } from '../../../i18n/i18n.ts';

const LIMIT = 4_000;

export function CustomInstructionsSection() {
  const { client } = useAccount();
  const query = useQuery({ queryKey: INSTRUCTIONS_KEY, queryFn: ({ signal }) => client.me.instructions({ signal }) });
  return (
    <Stack component="section" aria-label={t('personal.instructions')} gap="sm" maw={640}>
      <div>
        <SectionTitle>{t('personal.instructions')}</SectionTitle>
        <Dimmed>{t('personal.instructionsHint')}</Dimmed>
      </div>
      <QueryView query={query}>{(stored) => <InstructionsForm stored={stored} />}</QueryView>
    </Stack>
  );
}

type Stored = Awaited<ReturnType<ReturnType<typeof useAccount>['client']['me']['instructions']>>;

function InstructionsForm({ stored }: { stored: Stored }) {
  const { client } = useAccount();
  const queryClient = useQueryClient();
  const [fields, setFields] = useState({
    about_me: stored.about_me,
    answer_style: stored.answer_style,
    enabled: stored.enabled,
  });
  const save = useMutation({
    mutationFn: () => client.me.setInstructions(fields),
    onError: () => undefined, // shown in the form
    onSuccess: (saved) => {
      queryClient.setQueryData(INSTRUCTIONS_KEY, saved);
      notifySuccess(t('personal.instructionsSaved'));
    },
  });
  const errors = formErrors(save.error, ['about_me', 'answer_style']);
  const fieldProps = (name: 'about_me' | 'answer_style') => ({
    autosize: true,
    minRows: 2,
    maxRows: 10,
    maxLength: LIMIT,
    dir: 'auto',
    error: errors.at[name],
    description: t('personal.characters', { used: formatNumber(fields[name].length), limit: formatNumber(LIMIT) }),
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
    value: fields[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setFields({ ...fields, [name]: event.currentTarget.value }),
  });
  return (
    <Form onSubmit={() => save.mutate()}>
      <Stack>
        {errors.rest && <ErrorAlert error={errors.rest} />}
        <Textarea
          label={t('personal.aboutMe')}
          placeholder={t('personal.aboutMeExample')}
          {...fieldProps('about_me')}
        />
        <Textarea
          label={t('personal.answerStyle')}
          placeholder={t('personal.answerStyleExample')}
          {...fieldProps('answer_style')}
        />
        <Switch
          label={t('personal.instructionsDefault')}
          checked={fields.enabled}
          onChange={(event) => setFields({ ...fields, enabled: event.currentTarget.checked })}
        />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {t('personal.save')}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
