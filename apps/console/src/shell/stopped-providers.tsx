import type { Lane } from '@chorus/client';
import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { Alert, Anchor, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { isStopped, useLanes } from '../data/lanes.ts';
import { t } from '../i18n/i18n.ts';

const REFRESH_MS = 30_000;

/** Tells operators that a provider takes no calls until they act. */
export default function StoppedProviders() {
  const { data: lanes = [] } = useLanes(REFRESH_MS);
  /** Stops that were closed. A later one is shown again. */
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const shown = lanes.filter((lane) => isStopped(lane) && !closed.has(nameOf(lane)));
  const stops = Map.groupBy(shown, ({ provider, reason }) => `${provider} ${reason}`);
  return (
    <>
      {[...stops.values()].map((some) => (
        <StopNotice
          key={`${some[0]?.provider} ${some[0]?.reason}`}
          lanes={some}
          onClose={() => setClosed(new Set([...closed, ...some.map(nameOf)]))}
        />
      ))}
    </>
  );
}

const nameOf = ({ lane, since }: Lane): string => `${lane} ${since}`;

function StopNotice({ lanes, onClose }: { lanes: Lane[]; onClose: () => void }) {
  const { provider = '', reason } = lanes[0] ?? {};
  const message = reason === 'key' ? 'lanes.keyNotice' : 'lanes.creditNotice';
  return (
    <Alert
      color="red"
      radius={0}
      icon={<ExclamationTriangleIcon />}
      withCloseButton
      closeButtonLabel={t('common.close')}
      onClose={onClose}
    >
      <Group gap="xs">
        <Text size="sm">{t(message, { provider, count: lanes.length })}</Text>
        <Anchor component={Link} href="/administration/queues" size="sm" c="inherit" underline="always">
          {t('lanes.show')}
        </Anchor>
      </Group>
    </Alert>
  );
}
