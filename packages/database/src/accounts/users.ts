import { type CustomInstructions, isId, newId, plainEmail } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection, requireString } from '../collection.ts';
import { readAll, readOne, readPage, startAfter } from '../reading.ts';
import { fromStore, orConflict } from '../store-errors.ts';

export interface UserRecord {
  id: string;
  /** Lower case, unique. */
  email: string;
  password_hash: string;
  operator: boolean;
  /** A disabled user can neither log in nor use valid tokens. */
  disabled_at: Date | null;
  /** When the user deleted the account. It is erased soon after. */
  leaving_at: Date | null;
  created_at: Date;
}

interface StoredUser extends Omit<UserRecord, 'id' | 'leaving_at'> {
  _id: string;
  leaving_at?: Date;
  /** Absent: none. */
  instructions?: CustomInstructions;
  /** Set for the user created at first start. Unique, so that concurrent processes create only one. */
  first?: true;
}

export const userCollection = defineCollection<StoredUser>('users', {
  indexes: [
    { key: { email: 1 }, unique: true },
    { key: { leaving_at: 1 }, sparse: true },
    { key: { first: 1 }, unique: true, sparse: true },
  ],
});

export type UserRepository = ReturnType<typeof createUserRepository>;

export function createUserRepository(db: Db) {
  const users = userCollection.in(db);
  const change = (id: string, fields: Partial<StoredUser>) =>
    readOne(users.findOneAndUpdate({ _id: requireString(id) }, { $set: fields }, { returnDocument: 'after' }), userOf);

  return {
    /** `first` creates the user of the first start. Throws `conflict` if the email address or that user exists. */
    create: async (user: Pick<UserRecord, 'email' | 'password_hash' | 'operator'> & { first?: boolean }) => {
      const { email, password_hash, operator, first } = user;
      const stored: StoredUser = {
        _id: newId('user'),
        email: plainEmail(email),
        password_hash,
        operator,
        disabled_at: null,
        created_at: new Date(),
        ...(first === true ? { first: true } : {}),
      };
      await orConflict(users.insertOne(stored), 'This user exists.');
      return userOf(stored);
    },
    findByEmail: async (email: string) => readOne(users.findOne({ email: requireString(email) }), userOf),
    findById: async (id: string) => readOne(users.findOne({ _id: requireString(id) }), userOf),
    getMany: async (ids: string[]) => readAll(users.find({ _id: { $in: ids.map(requireString) } }), userOf),
    /** Returns the user created at first start. */
    findFirst: async () => readOne(users.findOne({ first: true }), userOf),
    /** Whether there is any user. */
    hasAny: async () => (await fromStore(users.findOne({}, { projection: { _id: 1 } }))) !== null,
    /** Lists users by id, which is the order of creation. */
    list: async ({ limit, after }: { limit: number; after?: string | undefined }) => {
      const found = users.find({ _id: { $gt: startAfter(after, (value) => isId('user', value)) } }).sort({ _id: 1 });
      return readPage(found.limit(limit + 1), limit, userOf, (last) => last._id);
    },
    /** Returns the email addresses of existing users, by id. */
    emailsOf: async (ids: readonly string[]) => {
      const found = users.find({ _id: { $in: ids.map(requireString) } }, { projection: { email: 1 } });
      return new Map(await readAll(found, ({ _id, email }) => [_id, email] as const));
    },
    /** Returns the user's own instructions for models. Null: none. */
    getInstructions: async (id: string) =>
      readOne(
        users.findOne({ _id: requireString(id) }, { projection: { instructions: 1 } }),
        ({ instructions }) => instructions ?? null,
      ),
    setInstructions: async (id: string, instructions: CustomInstructions) => {
      await fromStore(users.updateOne({ _id: requireString(id) }, { $set: { instructions } }));
    },
    /** Disables a user who has deleted the account. Returns null if there is no such user. */
    leave: async (id: string) => change(id, { disabled_at: new Date(), leaving_at: new Date() }),
    /** Lists users to erase who left after `after`, longest waiting first. */
    listLeaving: async ({ after, limit }: { after: Date; limit: number }) =>
      readAll(
        users
          .find({ leaving_at: { $gt: after } })
          .sort({ leaving_at: 1 })
          .limit(limit),
        userOf,
      ),
    /** Returns whether another user can operate the platform. */
    hasOtherOperator: async (id: string) =>
      (await fromStore(users.findOne({ operator: true, disabled_at: null, _id: { $ne: requireString(id) } }))) !== null,
    setPassword: async (id: string, password_hash: string) => change(id, { password_hash }),
    setOperator: async (id: string, operator: boolean) => change(id, { operator }),
    /** Null enables the user. */
    setDisabled: async (id: string, disabled_at: Date | null) => change(id, { disabled_at }),
  };
}

function userOf({ _id, first, instructions, ...user }: StoredUser): UserRecord {
  return { id: _id, ...user, disabled_at: user.disabled_at ?? null, leaving_at: user.leaving_at ?? null };
}
