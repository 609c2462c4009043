import { z } from 'zod';

const RequestId = z
  .string()
  .meta({ description: 'The same as in the header `X-Request-Id`; name it when you ask for help' });

export const ValidationProblem = z
  .object({
    message: z.string().meta({ description: 'What is wrong, for a person' }),
    errors: z
      .record(z.string(), z.string())
      .nullable()
      .meta({ description: 'Dotted field path to what is wrong with it; null when no field is at fault' }),
    request_id: RequestId,
  })
  .meta({ id: 'ValidationProblem' });

export const Problem = z
  .object({ message: z.string().meta({ description: 'What is wrong, for a person' }), request_id: RequestId })
  .meta({ id: 'Problem' });

/** The error format of SCIM: RFC 7644, section 3.12. */
export const ScimProblem = z
  .object({
    schemas: z.array(z.string()),
    status: z.string().meta({ description: 'The status of the answer, as text' }),
    scimType: z.string().optional().meta({ description: 'A keyword of the standard, such as `uniqueness`' }),
    detail: z.string().meta({ description: 'What is wrong, for a person' }),
  })
  .meta({ id: 'ScimProblem' });
