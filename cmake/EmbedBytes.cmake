# cmake -D IN=file -D OUT=file.inc -P EmbedBytes.cmake: the file as the elements of a C array.
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE "${OUT}" "${hex}\n")
