-- JSON that a column holds as text; null where the text is damaged, so that one row does not fail a whole statement.
-- PostgreSQL 15 cannot tell without trying, and a try is not allowed in a parallel plan.
create function readable_json(content text) returns json language plpgsql immutable strict parallel unsafe as $$
begin
  return content::json;
exception when data_exception then
  return null;
end
$$;
