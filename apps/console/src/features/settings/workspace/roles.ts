/** What members can be, and what that means. */
export const roles = [
  { value: 'viewer', label: 'Viewer: sees what is shared' },
  { value: 'editor', label: 'Editor: also creates, runs, and edits what is theirs' },
  { value: 'admin', label: 'Admin: also edits what others made, and manages members' },
  { value: 'owner', label: 'Owner: also manages admins, and deletes the workspace' },
] as const;
export type Role = (typeof roles)[number]['value'];

/** The roles that somebody with a role may give and take: only owners make admins and owners. */
export function givenBy(role: Role) {
  return role === 'owner' ? roles : roles.filter(({ value }) => value === 'viewer' || value === 'editor');
}
