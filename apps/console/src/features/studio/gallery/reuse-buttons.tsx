import type { Asset } from '@chorus/client';
import { PaperClipIcon, Square2StackIcon } from '@heroicons/react/24/outline';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { createPath } from '../create/reuse.ts';

/** Starts new images from this one. */
export function ReuseButtons({ asset: { id, execution_id } }: { asset: Asset }) {
  const { client } = useScope();
  const [, navigate] = useLocation();
  const vary = useMutation({
    mutationFn: async () => {
      // Studio's jobs are titled by their prompt.
      const prompt = execution_id === null ? '' : ((await client.jobs.get(execution_id)).metadata.title ?? '');
      // Not every model takes references, so the prompt is enough if it is known.
      navigate(createPath({ count: VARIATIONS, ...(prompt === '' ? { reference: id } : { prompt }) }));
    },
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Square2StackIcon />}
        loading={vary.isPending}
        onClick={() => vary.mutate()}
      >
        {t('studio.variations')}
      </Button>
      <Button component={Link} href={createPath({ reference: id })} variant="default" leftSection={<PaperClipIcon />}>
        {t('studio.useAsReference')}
      </Button>
    </>
  );
}

const VARIATIONS = 4;
