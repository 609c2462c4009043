export { GROUP_SCHEMA, resourceTypes, schemas, serviceProviderConfig, USER_SCHEMA } from './discovery.ts';
export type { Email } from './emails.ts';
export { errorBody, refuse, ScimError, taken } from './error.ts';
export { type Comparison, parseFilter } from './filter.ts';
export {
  type GroupChange,
  groupChanges,
  type MembersChange,
  membersChange,
  readGroup,
  type ScimGroup,
} from './group.ts';
export { listBody, type Page, project, readPage } from './list.ts';
export { readPatch } from './operations.ts';
export { patchUser, readUser, type ScimName, type ScimUser } from './user.ts';
