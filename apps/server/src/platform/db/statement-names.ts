/** SQL text to the name it is prepared under; written where statements are declared, read where queries are sent. */
export const statementNames = new Map<string, string>();
