/**
 * Maps SQL text to the name it is prepared under; written where statements are declared, read where queries are sent.
 */
export const statementNames = new Map<string, string>();

/** Names of statements that are planned anew for each set of parameters, and so are sent without a name. */
export const unpreparedNames = new Map<string, string>();
