import type { Execution } from '@chorus/client';
import { Checkbox } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { DeleteButton } from '../../components/delete-button.tsx';
import { useScope } from '../../scope/scope-context.tsx';

/** Deletes a job that has ended, and the files it made if that is wanted. */
export function DeleteJob({ job }: { job: Execution }) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const search = useSearch();
  const [withAssets, setWithAssets] = useState(false);
  const hasAssets = job.output.some(({ type }) => type === 'asset');
  const gone = () => {
    navigate(`/jobs${search === '' ? '' : `?${search}`}`);
    queryClient.removeQueries({ queryKey: [scopeKey, 'jobs', 'one', job.id] });
    queryClient.invalidateQueries({ queryKey: [scopeKey, 'jobs', 'list'] });
    if (withAssets) queryClient.invalidateQueries({ queryKey: [scopeKey, 'assets'] });
  };
  return (
    <DeleteButton
      title="Delete this job?"
      onDelete={() => client.jobs.delete(job.id, { assets: withAssets })}
      onDeleted={gone}
    >
      Its output and history are deleted for good. Messages in your conversations stay.
      {hasAssets && (
        <Checkbox
          mt="md"
          label="Also delete the files it made"
          checked={withAssets}
          onChange={(event) => setWithAssets(event.currentTarget.checked)}
        />
      )}
    </DeleteButton>
  );
}
