import { ACTIONS, type Action, ChorusError, keyMay, type Role, roleMay } from '@chorus/contract';
import type { Credential } from './credential.ts';

/**
 * Returns whether a credential acts as an operator. API keys need the `operator` permission and must not be bound
 * to a workspace.
 */
export function actsAsOperator({ user, key }: Credential): boolean {
  return user.operator && (key === null || (key.workspace_id === null && keyMay(key.permissions, 'operate')));
}

/**
 * @throws {ChorusError} forbidden if the key or user may never do this; role_forbidden if their role here does
 * not allow it
 */
export function checkRights(credential: Credential | null, role: Role | null, action: Action): void {
  const { permission, role: least } = ACTIONS[action];
  if (!keyMay(credential?.key?.permissions ?? null, action)) {
    const message =
      permission === null
        ? 'API keys may not do this. Log in instead.'
        : `This API key lacks the ${permission} permission.`;
    throw new ChorusError('forbidden', message);
  }
  if (action === 'operate' && (credential === null || !actsAsOperator(credential))) {
    throw new ChorusError('forbidden', 'Only operators may do this.');
  }
  if (role === null || !roleMay(role, action)) {
    throw new ChorusError('role_forbidden', `This requires the ${least} role in this workspace; your role is ${role}.`);
  }
}
