# cmake -DCOMMAND=pk11cache -DIN=pk11cache.7.in -DOUT=pk11cache.7 -P make-manual.cmake: fill the lists in.
file(READ "${IN}" page)
foreach(list options counters)
  execute_process(COMMAND "${COMMAND}" ${list} --man OUTPUT_VARIABLE text RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${COMMAND} ${list} --man failed: ${failed}")
  endif()
  # A line may not begin with an apostrophe or a stray dot, and a minus is no hyphen.
  string(REPLACE "-" "\\-" text "${text}")
  string(TOUPPER "@${list}@" place)
  string(REPLACE "${place}" "${text}" page "${page}")
endforeach()
file(WRITE "${OUT}" "${page}")
