import { z } from 'zod';

const RequestId = z
  .string()
  .meta({ description: 'Same as the `X-Request-Id` header; include it when you ask for help' });

export const ValidationProblem = z
  .object({
    message: z.string().meta({ description: 'Explanation for people' }),
    errors: z
      .record(z.string(), z.string())
      .nullable()
      .meta({ description: 'Problem by dotted field path; null if no field is at fault' }),
    request_id: RequestId,
  })
  .meta({ id: 'ValidationProblem' });

export const Problem = z
  .object({ message: z.string().meta({ description: 'Explanation for people' }), request_id: RequestId })
  .meta({ id: 'Problem' });

/** The error format of SCIM: RFC 7644, section 3.12. */
export const ScimProblem = z
  .object({
    schemas: z.array(z.string()),
    status: z.string().meta({ description: 'HTTP status of the response, as text' }),
    scimType: z.string().optional().meta({ description: 'A keyword of the SCIM standard, such as `uniqueness`' }),
    detail: z.string().meta({ description: 'Explanation for people' }),
  })
  .meta({ id: 'ScimProblem' });
