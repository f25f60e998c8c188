import { scopeKey } from '@chorus/contract';

export function personalScope(userId: string): string {
  return scopeKey({ scope: 'personal', user_id: userId, workspace_id: null });
}

export function workspaceScope(workspaceId: string): string {
  return scopeKey({ scope: 'workspace', user_id: '', workspace_id: workspaceId });
}
