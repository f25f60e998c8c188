import type { BodyOf, ModelSettings } from '@chorus/client';
import { Select, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { notifySuccess } from '../../../data/notify.ts';
import { useModels } from '../../../data/queries.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { FallbackChains } from './fallback-chains.tsx';

type Use = keyof ModelSettings['defaults'];

const USES: readonly { use: Use; label: string; variable: string }[] = [
  { use: 'chat', label: 'Chat', variable: 'DEFAULT_MODEL' },
  { use: 'image', label: 'Images', variable: 'DEFAULT_IMAGE_MODEL' },
  { use: 'video', label: 'Videos', variable: 'DEFAULT_VIDEO_MODEL' },
  { use: 'speech', label: 'Speech', variable: 'DEFAULT_SPEECH_MODEL' },
  { use: 'transcription', label: 'Transcription', variable: 'DEFAULT_TRANSCRIPTION_MODEL' },
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
      notifySuccess('Saved. Every process uses it within a second.');
    },
  });
  return (
    <QueryView query={settings}>
      {({ defaults, fallbacks }) => (
        <Stack gap="xl" maw={720}>
          <section>
            <SectionTitle mb={4}>Default models</SectionTitle>
            <Dimmed mb="md">Used by requests and agents that name no model.</Dimmed>
            <Stack>
              {USES.map(({ use, label, variable }) => (
                <DefaultModel
                  key={use}
                  use={use}
                  label={label}
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
      description={isFixed ? `Set by ${variable} in the environment, which wins.` : undefined}
      data={[{ value: AUTOMATIC, label: 'Automatic: the first that is available' }, ...ids]}
      value={model ?? AUTOMATIC}
      onChange={(value) => value !== null && onChange(value === AUTOMATIC ? null : value)}
      disabled={isFixed || isPending}
      searchable={ids.length > 8}
      allowDeselect={false}
    />
  );
}
