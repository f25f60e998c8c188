import type { BodyOf, ModelSettings } from '@chorus/client';
import { Select, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { notifySuccess } from '../../../data/notify.ts';
import { useModels } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { FallbackChains } from './fallback-chains.tsx';

type Use = keyof ModelSettings['defaults'];

const USES: readonly { use: Use; label: MessageKey; variable: string }[] = [
  { use: 'chat', label: 'common.chat', variable: 'DEFAULT_MODEL' },
  { use: 'image', label: 'components.images', variable: 'DEFAULT_IMAGE_MODEL' },
  { use: 'video', label: 'components.videos', variable: 'DEFAULT_VIDEO_MODEL' },
  { use: 'speech', label: 'administration.speech', variable: 'DEFAULT_SPEECH_MODEL' },
  { use: 'transcription', label: 'administration.transcription', variable: 'DEFAULT_TRANSCRIPTION_MODEL' },
];

const QUERY_KEY = ['administration', 'model-settings'];
const AUTOMATIC = 'automatic';

export default function ModelsPanel() {
  const { client } = useScope();
  const queryClient = useQueryClient();
  const settings = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => client.modelSettings.get({ signal }),
  });
  const change = useMutation({
    mutationFn: (body: BodyOf<'PATCH /model-settings'>) => client.modelSettings.update(body),
    onSuccess: (changed) => {
      queryClient.setQueryData(QUERY_KEY, changed);
      notifySuccess(t('administration.modelsSaved'));
    },
  });
  return (
    <QueryView query={settings}>
      {({ defaults, fallbacks }) => (
        <Stack gap="xl" maw={720}>
          <section>
            <SectionTitle mb={4}>{t('administration.defaultModels')}</SectionTitle>
            <Dimmed mb="md">{t('administration.defaultModelsHint')}</Dimmed>
            <Stack>
              {USES.map(({ use, label, variable }) => (
                <DefaultModel
                  key={use}
                  use={use}
                  label={t(label)}
                  variable={variable}
                  setting={defaults[use]}
                  isPending={change.isPending}
                  onChange={(model) => change.mutate({ [use]: model })}
                />
              ))}
            </Stack>
          </section>
          <FallbackChains
            key={JSON.stringify(fallbacks)}
            fallbacks={fallbacks}
            isPending={change.isPending}
            onChange={(chains) => change.mutate({ fallbacks: chains })}
          />
        </Stack>
      )}
    </QueryView>
  );
}

interface DefaultModelProps {
  use: Use;
  label: string;
  variable: string;
  setting: ModelSettings['defaults'][Use];
  isPending: boolean;
  onChange: (model: string | null) => void;
}

function DefaultModel({ use, label, variable, setting: { model, source }, isPending, onChange }: DefaultModelProps) {
  const models = useModels(use);
  const ids = [...new Set([...models.map(({ id }) => id), ...(model === null ? [] : [model])])];
  const isFixed = source === 'environment';
  return (
    <Select
      label={label}
      description={isFixed ? t('administration.setByVariable', { variable }) : undefined}
      data={[{ value: AUTOMATIC, label: t('administration.automatic') }, ...ids]}
      value={model ?? AUTOMATIC}
      onChange={(value) => value !== null && onChange(value === AUTOMATIC ? null : value)}
      disabled={isFixed || isPending}
      searchable={ids.length > 8}
      allowDeselect={false}
    />
  );
}
