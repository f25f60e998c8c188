import { ACTIONS, type Action, ChorusError, keyMay, type Role, roleMay } from '@chorus/contract';
import type { Credential } from './credential.ts';

/** Whether a credential acts as an operator of the platform: a key needs the permission `operator`, and must not be bound to a workspace. */
export function actsAsOperator({ user, key }: Credential): boolean {
  return user.operator && (key === null || (key.workspace_id === null && keyMay(key.permissions, 'operate')));
}

/** @throws {ChorusError} forbidden for what a key or a user may nowhere do, role_forbidden for what their role here does not cover */
export function checkRights(credential: Credential | null, role: Role | null, action: Action): void {
  const { permission, role: least } = ACTIONS[action];
  if (!keyMay(credential?.key?.permissions ?? null, action)) {
    const message =
      permission === null ? 'No API key may do this: log in.' : `This API key lacks the permission ${permission}.`;
    throw new ChorusError('forbidden', message);
  }
  if (action === 'operate' && (credential === null || !actsAsOperator(credential))) {
    throw new ChorusError('forbidden', 'Only operators of the platform may do this.');
  }
  if (role === null || !roleMay(role, action)) {
    throw new ChorusError('role_forbidden', `This needs the role ${least} in this workspace; yours is ${role}.`);
  }
}
