import { useQuery } from '@tanstack/react-query';
import { useModels } from '../../../data/queries.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { mayReceiveImages } from './may-receive-images.ts';
import { useChatSettings } from './use-chat-settings.ts';

/** Models offered instead. */
const MAX_OFFERED = 3;

interface Blindness {
  /** The model that cannot see the images. */
  model: string;
  /** Models that can. */
  others: string[];
}

/** Returns the chosen model if it cannot see the attached images. Null: it can, or there are none. */
export function useBlindness(hasImages: boolean): Blindness | null {
  const { client } = useScope();
  const { model } = useChatSettings();
  const models = useModels('chat');
  // Only the health endpoint names the default model.
  const health = useQuery({
    queryKey: ['chat', 'default-model'],
    queryFn: async ({ signal }) => (await client.chat.health({ signal })).models.find((one) => one.default)?.id ?? null,
    enabled: hasImages && model === null,
  });
  const used = model ?? health.data;
  if (!hasImages || !used || mayReceiveImages(models.find(({ id }) => id === used))) return null;
  const others = models.filter(({ capabilities }) => capabilities.includes('vision')).map(({ id }) => id);
  return { model: used, others: others.slice(0, MAX_OFFERED) };
}
